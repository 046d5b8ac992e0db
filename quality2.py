from quality import *
L=A.Layer
held=['Hips','LeftUpLeg','LeftLeg','LeftFoot','LeftToeBase','RightUpLeg','RightLeg','RightFoot','RightToeBase']
print('orig slide %.2f cm/s knee %.1f jerk %.1f'%(100*slide(clip),knees(clip),jerk(clip)))
def go(label,layers):
    r=A.adapt(clip,[*plants,pin],floor=True,joints=JOINTS,layers=layers)
    kk=Kinematics(ch,r.clip.q); es=[]
    for p in plants:
        for q in p.pins(ch):
            t=q.when.times(r.clip); fr=np.rint(t*clip.fps).astype(int)
            es.append(np.linalg.norm(kk.point(q.handle.point)[fr]-q.target.at(t),axis=1))
    e=np.concatenate(es)
    print(label,'slide %.2f knee x%.2f jerk x%.2f'%(100*slide(r.clip),knees(r.clip)/knees(clip),jerk(r.clip)/jerk(clip)),[(d.steps,d.reason,round(d.merit,2)) for d in r.descents],'%.3f'%r.seconds,'plants rms %.2f max %.2f mm'%(1e3*np.sqrt((e**2).mean()),1e3*e.max()), 'hand %.2f'%(1e3*np.linalg.norm(kk.point('RightHand')[f]-hand)))
for s0,sm in ((1,1e-3),(.1,1e-3),(1,1e-2),(1,1e-1),(.1,1e-1),(.1,1e-2)):
    go(('one',s0,sm),[L(.1,joints=JOINTS,strength=s0,smoothness=sm)])
for s0,sm0,s,sm in ((1,1e-3,.1,1e-2),(1,1e-3,.1,1e-1),(1,1e-3,1,1e-1),(1,1e-3,1,1),(.1,1e-2,.1,1e-2),(.1,1e-2,.1,1e-1),(.1,1e-2,.1,1),(.1,1e-2,1,1)):
    go(('two',s0,sm0,s,sm),[L(.1,joints=JOINTS,strength=s0,smoothness=sm0),L(1/60,joints=held,strength=s,smoothness=sm)])
go('tail',[L(.05,joints=JOINTS,strength=1,smoothness=1e-3)])
