from scale import *
import cProfile,pstats
cl=tiled(9); pl=A.detect(cl); kk=Kinematics(ch,cl.q)
ff=int(cl.frames*.5); hd=kk.point('RightHand')[ff]+np.array([.35,0,.15]); t=float(cl.times[ff])
r=A.adapt(cl,[*pl,c.pin('RightHand',hd,t)],floor=True,joints=JOINTS,steps=3)
w=A.around(cl,[t])
items=[*pl,c.pin('RightHand',hd,t)]
rr=A.drag(r,items,w)
cp=[]
for k in range(10):
    hd=hd+np.array([0,0,.005]); items=[*pl,c.pin('RightHand',hd,t)]
    p0=time.process_time(); rr=A.drag(rr,items,w); cp.append(time.process_time()-p0)
print('cpu ms',[round(1e3*x,1) for x in cp], len(pl))
pr=cProfile.Profile(); pr.enable()
for k in range(10):
    hd=hd+np.array([0,0,.005]); rr=A.drag(rr,[*pl,c.pin('RightHand',hd,t)],w)
pr.disable(); pstats.Stats(pr).sort_stats('tottime').print_stats(25)
